#!/usr/bin/env python3
"""The optimum of a batch's set packing problem by HiGHS, for data/matching-instances and `make bench-boarding`.

    MatchingBenchmarks groups data/matching-instances/NAME.csv groups.txt [all]
    MatchingBenchmarks boarding DIRECTORY KIND COUNT FIRST LAST
    optimum.py groups.txt [SECONDS]

Reads the number of requests and, a line a group, its saving and its members; prints the best sum of
savings of groups without a common member, and a proven upper bound. Needs scipy 1.9 or newer.
"""
import sys

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csc_matrix


def main() -> None:
    path = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 300.0
    savings, rows, columns = [], [], []
    with open(path, encoding="ascii") as lines:
        requests = int(next(lines))
        for group, line in enumerate(lines):
            saving, *members = line.split()
            savings.append(float(saving))
            rows += [int(member) for member in members]
            columns += [group] * len(members)
    weights = np.array(savings)
    once = csc_matrix((np.ones(len(rows)), (rows, columns)), shape=(requests, len(weights)))
    result = milp(
        -weights,
        constraints=LinearConstraint(once, -np.inf, 1),
        integrality=np.ones(len(weights)),
        bounds=Bounds(0, 1),
        options={"time_limit": seconds, "mip_rel_gap": 1e-7},
    )
    value = "none" if result.x is None else f"{-result.fun:.6f}"
    print(f"groups {len(weights)} value {value} bound {-result.mip_dual_bound:.6f} "
          f"status {result.status}")


if __name__ == "__main__":
    main()
