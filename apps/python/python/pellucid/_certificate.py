"""What a fit reports about its own quality."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Certificate:
    """Whether a fit converged, how far it is from the optimum, and what happened during the fit."""

    converged: bool
    interrupted: bool
    steps: int
    objective: float | None
    gap_kind: str
    gap: float | None
    warnings: tuple = ()
    facts: dict = field(default_factory=dict)

    @classmethod
    def of(cls, machine):
        """The certificate of a machine."""
        said = machine.certificate
        return cls(**{**said, "warnings": tuple(said["warnings"])})
