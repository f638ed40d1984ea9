import csv
from html import escape
from pathlib import Path

from IPython.display import HTML, SVG


def table(frame, columns, rows=None):
    with open(Path(CSV) / f"{frame}.csv", encoding="utf-8", newline="") as file:
        data = list(csv.DictReader(file))
    if rows is not None:
        data = [data[i] for i in rows if i < len(data)]
    columns = columns.split()
    head = "".join(f"<th>{escape(c)}</th>" for c in columns)
    body = ("".join(f"<td>{escape(number(r[c]))}</td>" for c in columns) for r in data)
    return HTML(f"<table><tr>{head}</tr>" + "".join(f"<tr>{r}</tr>" for r in body) + "</table>")


def number(text):
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text


def figure(name):
    return SVG(filename=str(Path(FIGURES) / f"{name}.svg"))
