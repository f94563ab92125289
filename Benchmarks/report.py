#!/usr/bin/env python3
"""Markdown and SVG from the suite's JSON: report.py RESULTS.json... > report.md

Plots are written beside the first JSON file. Standard library only.
"""
import json
import math
import os
import sys


def verdict(figure):
    target = figure["target"]
    if target is None:
        return ""
    value = figure["value"]
    good = value >= target if figure["higherIsBetter"] else value <= target
    return "met" if good else "missed"


def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def plot(curve, path):
    points = [(x, y) for x, y in curve["points"] if x > 0 and y > 0]
    if not points:
        return False
    width, height, margin = 560, 320, 56
    xs = [math.log10(x) for x, _ in points]
    ys = [math.log10(y) for _, y in points]
    x0, x1 = math.floor(min(xs)), math.ceil(max(xs) + 1e-9)
    y0, y1 = math.floor(min(ys)), math.ceil(max(ys) + 1e-9)

    def px(x):
        return margin + (x - x0) / max(1, x1 - x0) * (width - 2 * margin)

    def py(y):
        return height - margin - (y - y0) / max(1, y1 - y0) * (height - 2 * margin)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{width / 2}" y="20" text-anchor="middle">{curve["name"]}</text>',
        f'<text x="{width / 2}" y="{height - 12}" text-anchor="middle">{curve["x"]}</text>',
        f'<text x="14" y="{height / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {height / 2})">{curve["unit"]}</text>',
    ]
    for decade in range(x0, x1 + 1):
        out.append(
            f'<line x1="{px(decade)}" y1="{margin}" x2="{px(decade)}" y2="{height - margin}" '
            f'stroke="#ddd"/><text x="{px(decade)}" y="{height - margin + 16}" '
            f'text-anchor="middle">{10 ** decade:g}</text>')
    for decade in range(y0, y1 + 1):
        out.append(
            f'<line x1="{margin}" y1="{py(decade)}" x2="{width - margin}" y2="{py(decade)}" '
            f'stroke="#ddd"/><text x="{margin - 6}" y="{py(decade) + 4}" '
            f'text-anchor="end">{10 ** decade:g}</text>')
    line = " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in zip(xs, ys))
    out.append(f'<polyline points="{line}" fill="none" stroke="#1f6feb" stroke-width="2"/>')
    for x, y in zip(xs, ys):
        out.append(f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="3" fill="#1f6feb"/>')
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out))
    return True


def main(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
        print(f"# {os.path.basename(path)}\n\n{run['machine']}")
        if "command" in run:
            print(f"\nCommand: `{run['command']}`; load average {run['load']}.")
        print()
        if run["figures"]:
            print("| figure | value | unit | target | |\n|---|---:|---|---:|---|")
        for figure in run["figures"]:
            target = "" if figure["target"] is None else number(figure["target"])
            print(f"| {figure['name']} | {number(figure['value'])} | {figure['unit']} "
                  f"| {target} | {verdict(figure)} |")
        stem = os.path.splitext(path)[0]
        for index, curve in enumerate(run["curves"]):
            image = f"{stem}-{index}.svg"
            if plot(curve, image):
                print(f"\n![{curve['name']}]({os.path.basename(image)})")
            print("\n| " + curve["x"] + " | " + curve["unit"] + " |\n|---:|---:|")
            for x, y in curve["points"]:
                print(f"| {number(x)} | {number(y)} |")
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
