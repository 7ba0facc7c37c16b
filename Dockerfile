# The workers of a build and of an evaluation on a cluster: Beam's SDK with this package, its dictionary and its tables.
#
#   docker build --tag REGISTRY/conceptloom:0.1.0-beam2.77.0-py3.11 .
#   docker build --target cuda --tag REGISTRY/conceptloom:0.1.0-beam2.77.0-py3.11-cuda .
#
# Beam and Python must be those of the machine that starts the build. Versions of packages are those of constraints.txt
# (python scripts/constraints.py); images are pinned by digest (python scripts/pin_images.py).
#
# Workers run as a user that is not root. Where that cannot be: --build-arg RUN_AS=0:0 (Dataflow, see docs/clusters.md).

ARG BEAM_IMAGE=apache/beam_python3.11_sdk:2.77.0
ARG CUDA_IMAGE=nvidia/cuda:12.6.3-runtime-ubuntu22.04@sha256:63a18dd805367dacfb077aeced8384ab2fb569598ec5f5f5220c3f90a5c23650

FROM ${BEAM_IMAGE} AS beam


FROM beam AS wheel
WORKDIR /source
COPY setup.py pyproject.toml README.md LICENSE NOTICE constraints.txt ./
COPY conceptloom ./conceptloom
COPY transforms ./transforms
COPY pipelines ./pipelines
COPY runners ./runners
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
    && cp constraints.txt /wheels/


FROM ${CUDA_IMAGE} AS cuda
ARG RUN_AS=10001:10001
# Ubuntu has another Python. A version that is pinned here would be gone from its archive within months.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates gpg gpg-agent software-properties-common \
    && add-apt-repository -y ppa:deadsnakes/ppa \
    && apt-get install -y --no-install-recommends python3.11 python3.11-venv \
    && rm -rf /var/lib/apt/lists/* \
    && mkdir /opt/conceptloom \
    && chown "$RUN_AS" /opt/conceptloom
COPY --from=wheel /wheels /wheels
COPY --from=beam /opt/apache/beam /opt/apache/beam
# The last of these: otherwise the boot program would make an environment of its own, from which this one is not seen.
# It installs into this one what a pipeline brings, so that the user owns it.
ENV HOME=/tmp USER=conceptloom PATH=/opt/conceptloom/bin:$PATH RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1
USER ${RUN_AS}
# This torch is built for CUDA 12, as faiss-gpu and the drivers are.
RUN python3.11 -m venv /opt/conceptloom \
    && python -m pip install --no-cache-dir --constraint /wheels/constraints.txt \
        "$(echo /wheels/*.whl)[gcp,evaluation,neural,faiss-gpu]" apache-beam==2.77.0 torch==2.8.0 \
    && python -m pip check \
    && python -c "import faiss, sacrebleu, torch, transformers" \
    && conceptloom demo --output /tmp/demo \
    && rm -rf /tmp/demo
ENTRYPOINT ["/opt/apache/beam/boot"]


FROM beam AS worker
ARG RUN_AS=10001:10001
COPY --from=wheel /wheels /wheels
# The boot program makes an environment in beam-venv, in which it installs what a pipeline brings.
RUN python -m pip install --no-cache-dir --constraint /wheels/constraints.txt \
        "$(echo /wheels/*.whl)[gcp,evaluation]" apache-beam==2.77.0 \
    && python -m pip check \
    && python -c "import mecab, pycocoevalcap, sacrebleu, spacy" \
    && mkdir -p /opt/apache/beam-venv \
    && chmod 1777 /opt/apache/beam-venv
# The user has no entry in /etc/passwd, so that it may be any: packages that ask for its name find it here.
ENV HOME=/tmp USER=conceptloom
USER ${RUN_AS}
RUN conceptloom demo --output /tmp/demo \
    && rm -rf /tmp/demo
ENTRYPOINT ["/opt/apache/beam/boot"]
