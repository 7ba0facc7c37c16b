"""Variants of a finished data set: the ablations that its recipe knows."""

from conceptloom import storage
from conceptloom.errors import InputError, OutputError
from conceptloom.pipelines.build.recipe import VariantRequest
from conceptloom.pipelines.builds.finished import open_finished


def write_variant(directory: str, request: VariantRequest) -> dict[str, tuple[int, int]]:
    """Writes a variant of the build in a directory; returns how many rows each split has, and how many were left out.

    Raises InputError or OutputError where there is no such build, no such variant, or no room for it.
    """
    build = open_finished(directory)
    variants = build.recipe.variants
    if variants is None:
        raise InputError(f"{build.directory} is a build of recipe {build.recipe.name}, which has no variants")
    if storage.list_files(request.output):
        raise OutputError(f"{request.output} is not empty: choose another --output")
    return variants.write(build, request)
