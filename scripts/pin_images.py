"""Pins the base images of the Dockerfile by digest: a tag may be moved to another image, a digest may not.

    python scripts/pin_images.py             # asks Docker for the digest of each tag, and writes it into the Dockerfile
    python scripts/pin_images.py --check     # only says which image has none; status 1 if there is one

It wants Docker with buildx and a way to the images; nothing is downloaded but their descriptions.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

DOCKERFILE = Path(__file__).resolve().parent.parent / "Dockerfile"
IMAGE = re.compile(r"^(?P<begin>ARG [A-Z]+_IMAGE=)(?P<image>[^\s@]+)(?P<digest>@sha256:[0-9a-f]{64})?$", re.MULTILINE)


def images(text: str) -> dict[str, str]:
    """The base images of a Dockerfile by their tagged names, each with its digest, or an empty one."""
    return {found["image"]: (found["digest"] or "").removeprefix("@") for found in IMAGE.finditer(text)}


def pinned(text: str, digests: dict[str, str]) -> str:
    """The same Dockerfile with these digests behind its images."""
    return IMAGE.sub(lambda found: f"{found['begin']}{found['image']}@{digests[found['image']]}", text)


def digest_of(image: str) -> str:
    """The digest that a tag has now, of all platforms; raises CalledProcessError if Docker cannot tell."""
    command = ["docker", "buildx", "imagetools", "inspect", "--format", "{{json .Manifest}}", image]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    digest = str(json.loads(done.stdout)["digest"])
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        raise ValueError(f"{image}: Docker gives no digest but {digest!r}")
    return digest


def main() -> int:
    """Command line; returns the status."""
    parser = argparse.ArgumentParser(description="Pins the base images of the Dockerfile by digest.")
    parser.add_argument("--check", action="store_true", help="only say which image has no digest")
    parser.add_argument("--dockerfile", type=Path, default=DOCKERFILE)
    options = parser.parse_args()
    text = options.dockerfile.read_text(encoding="utf-8")
    if options.check:
        missing = [image for image, digest in images(text).items() if not digest]
        for image in missing:
            print(f"{image} has no digest: python scripts/pin_images.py")
        return int(bool(missing))
    try:
        digests = {image: digest_of(image) for image in images(text)}
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"the digests cannot be found: {error}; it wants docker with buildx, and a network", file=sys.stderr)
        return 1
    options.dockerfile.write_text(pinned(text, digests), encoding="utf-8")
    print("\n".join(f"{image}@{digest}" for image, digest in digests.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
