"""The table of results: saved after each new row, and printed as text."""

import csv
import json
import os

FIELDS = (
    "task,log2_elements,bins,peer,way,peer_row_ns,peer_row_bytes_per_second,peer_single_ns,peer_single_bytes_per_second,"
    "app_variant,app_workgroup_size,app_workgroup_count,app_row_ns,app_row_bytes_per_second,app_single_ns,"
    "app_single_bytes_per_second,app_of_copy_ceiling,row_ratio,row_met,single_ratio,single_met,target,answer,rounds,cache,"
    "error,peer_row_points_per_second,peer_single_points_per_second,app_row_points_per_second,app_single_points_per_second,"
    "shape,app_flags,peer_row_operations_per_second,peer_single_operations_per_second,app_row_operations_per_second,"
    "app_single_operations_per_second"
).split(",")


def write_atomically(path, write):
    with open(path + ".part", "w", newline="") as file:
        write(file)
    os.replace(path + ".part", path)


class Results:
    def __init__(self, path, about):
        self.path, self.about, self.rows, self.parts = path, about, [], {}

    def add(self, **row):
        self.rows.append({field: row.get(field) for field in FIELDS} | row)
        self.save()

    def add_part(self, name, rows):
        self.parts[name] = rows
        self.save()

    def save(self):
        if not self.path:
            return
        content = {**self.about, "rows": self.rows, **self.parts}
        write_atomically(self.path, lambda file: json.dump(content, file, indent=1))
        write_atomically(os.path.splitext(self.path)[0] + ".csv", self.write_csv)

    def write_csv(self, file):
        writer = csv.DictWriter(file, FIELDS, extrasaction="ignore", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(self.rows)

    def text(self):
        header = ("task", "elements", "peer", "way", "app variant", "peer GB/s", "app GB/s", "of copy", "app/peer", "")
        header += ("single: peer", "app", "app/peer", "", "target", "answer")
        lines = [header] + [format_row(row) for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
        right_aligned = {5, 6, 7, 8, 10, 11, 12, 14}
        return "\n".join(
            "  ".join(
                cell.rjust(width) if i in right_aligned else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(line, widths))
            ).rstrip()
            for line in lines
        )


def format_rate(row, prefix):
    """Formats a rate in GB/s, the unit of the column, or with a unit of its own."""
    if points := row[f"{prefix}_points_per_second"]:
        return f"{points / 1e9:.4g} Gpoints/s"
    if operations := row[f"{prefix}_operations_per_second"]:
        return f"{operations / 1e12:.4g} TFLOP/s"
    bytes_a_second = row[f"{prefix}_bytes_per_second"]
    return f"{bytes_a_second / 1e9:.4g}" if bytes_a_second else ""


def format_row(row):
    variant = row["app_variant"] or ""
    if variant and row["shape"]:
        variant += " " + (row["app_flags"] or "").replace("--", "")
    elif variant:
        variant += f" {row['app_workgroup_size']}×{row['app_workgroup_count']}"
    return (row["task"], row["shape"] or f"2^{row['log2_elements']}", row["peer"] or "", row["way"] or "", variant,
            format_rate(row, "peer_row"), format_rate(row, "app_row"),
            f"{row['app_of_copy_ceiling']:.3f}" if row["app_of_copy_ceiling"] else "", *format_ratio(row, "row"),
            format_rate(row, "peer_single"), format_rate(row, "app_single"), *format_ratio(row, "single"),
            f"{row['target']:g}" if row["target"] else "", row["error"] or row["answer"] or "")


def format_ratio(row, calls):
    mark = {True: "✓", False: "✗", None: ""}[row[f"{calls}_met"]]
    return f"{row[f'{calls}_ratio']:.3f}" if row[f"{calls}_ratio"] else "", mark
