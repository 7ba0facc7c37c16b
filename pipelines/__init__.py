"""Recipes: typed settings and stages built from transforms. Importing this package registers its recipes."""

from conceptloom.pipelines.build.recipe import RECIPES, Recipe, VariantRequest
from conceptloom.pipelines.commongen import recipe as _commongen
from conceptloom.pipelines.korean_commongen import recipe as _korean_commongen

__all__ = ["RECIPES", "Recipe", "VariantRequest"]

_ = (_commongen, _korean_commongen)
