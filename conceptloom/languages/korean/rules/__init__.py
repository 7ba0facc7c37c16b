"""The concept rules of Korean CommonGen, by name."""

from conceptloom.languages.korean.rules import chains, noun_verb, paper
from conceptloom.languages.korean.rules.base import RULES, Rule

__all__ = ["RULES", "Rule", "chains", "noun_verb", "paper"]
