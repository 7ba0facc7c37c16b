"""Variants of a finished data set: the ablations that its recipe defines."""

from conceptloom import storage
from conceptloom.errors import InputError, OutputError
from conceptloom.pipelines.build.recipe import VariantRequest
from conceptloom.pipelines.builds.finished import open_finished


def write_variant(directory: str, request: VariantRequest) -> dict[str, tuple[int, int]]:
    """Writes a variant of the build in a directory; returns the rows kept and left out for each split.

    Raises InputError if the build does not exist or has no variants, OutputError if the output is not empty.
    """
    build = open_finished(directory)
    variants = build.recipe.variants
    if variants is None:
        raise InputError(f"{build.directory} is a build of recipe {build.recipe.name}, which has no variants")
    if storage.list_files(request.output):
        raise OutputError(f"{request.output} is not empty: choose another --output")
    return variants.write(build, request)
