# The workers of a build on a cluster: Beam's SDK with this package, its dictionary and its tables.
#
#   docker build --tag REGISTRY/conceptloom:0.1.0-beam2.77.0-py3.11 .
#   docker build --target cuda --tag REGISTRY/conceptloom:0.1.0-beam2.77.0-py3.11-cuda .
#
# Beam and Python must be those of the machine that starts the build.

FROM apache/beam_python3.11_sdk:2.77.0 AS wheel
WORKDIR /source
COPY setup.py pyproject.toml README.md LICENSE NOTICE ./
COPY conceptloom ./conceptloom
COPY transforms ./transforms
COPY pipelines ./pipelines
COPY runners ./runners
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .


FROM nvidia/cuda:12.6.3-runtime-ubuntu22.04 AS cuda
# Ubuntu has another Python. A version that is pinned here would be gone from its archive within months.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates gpg gpg-agent software-properties-common \
    && add-apt-repository -y ppa:deadsnakes/ppa \
    && apt-get install -y --no-install-recommends python3.11 python3.11-venv \
    && rm -rf /var/lib/apt/lists/* \
    && python3.11 -m venv /opt/conceptloom
# Without the second one the boot program would make an environment of its own, from which this one is not seen.
ENV PATH=/opt/conceptloom/bin:$PATH RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1
COPY --from=wheel /wheels /wheels
# This torch is built for CUDA 12, as faiss-gpu and the drivers are.
RUN python -m pip install --no-cache-dir "$(echo /wheels/*.whl)[gcp,neural,faiss-gpu]" \
        apache-beam==2.77.0 torch==2.8.0 \
    && python -m pip check \
    && python -c "import faiss, torch, transformers" \
    && conceptloom demo --output /tmp/demo \
    && rm -rf /tmp/demo
COPY --from=apache/beam_python3.11_sdk:2.77.0 /opt/apache/beam /opt/apache/beam
ENTRYPOINT ["/opt/apache/beam/boot"]


FROM apache/beam_python3.11_sdk:2.77.0 AS worker
COPY --from=wheel /wheels /wheels
RUN python -m pip install --no-cache-dir "$(echo /wheels/*.whl)[gcp]" apache-beam==2.77.0 \
    && python -m pip check \
    && conceptloom demo --output /tmp/demo \
    && rm -rf /tmp/demo
ENTRYPOINT ["/opt/apache/beam/boot"]
