"""The table of results: kept on disk as it grows, printed as text."""

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


def write_beside_then_rename(path, write):
    with open(path + ".part", "w", newline="") as file:
        write(file)
    os.replace(path + ".part", path)


class Results:
    def __init__(self, path, about):
        self.path, self.about, self.rows, self.more = path, about, [], {}

    def add(self, **row):
        self.rows.append({field: row.get(field) for field in FIELDS} | row)
        self.save()

    def add_part(self, name, rows):
        self.more[name] = rows
        self.save()

    def save(self):
        if not self.path:
            return
        everything = {**self.about, "rows": self.rows, **self.more}
        write_beside_then_rename(self.path, lambda file: json.dump(everything, file, indent=1))
        write_beside_then_rename(os.path.splitext(self.path)[0] + ".csv", self.write_csv)

    def write_csv(self, file):
        writer = csv.DictWriter(file, FIELDS, extrasaction="ignore", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(self.rows)

    def text(self):
        head = ("task", "elements", "peer", "way", "app variant", "peer GB/s", "app GB/s", "of copy", "app/peer", "")
        head += ("single: peer", "app", "app/peer", "", "target", "answer")
        lines = [head] + [cells(row) for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        right = {5, 6, 7, 8, 10, 11, 12, 14}
        return "\n".join(
            "  ".join(
                cell.rjust(width) if i in right else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(line, widths))
            ).rstrip()
            for line in lines
        )


def rate(row, whose):
    """In GB/s, as the column says, or else by its own words."""
    if points := row[f"{whose}_points_per_second"]:
        return f"{points / 1e9:.4g} Gpoints/s"
    if operations := row[f"{whose}_operations_per_second"]:
        return f"{operations / 1e12:.4g} TFLOP/s"
    bytes_a_second = row[f"{whose}_bytes_per_second"]
    return f"{bytes_a_second / 1e9:.4g}" if bytes_a_second else ""


def cells(row):
    variant = row["app_variant"] or ""
    if variant and row["shape"]:
        variant += " " + (row["app_flags"] or "").replace("--", "")
    elif variant:
        variant += f" {row['app_workgroup_size']}×{row['app_workgroup_count']}"
    return (row["task"], row["shape"] or f"2^{row['log2_elements']}", row["peer"] or "", row["way"] or "", variant,
            rate(row, "peer_row"), rate(row, "app_row"),
            f"{row['app_of_copy_ceiling']:.3f}" if row["app_of_copy_ceiling"] else "", *ratio_cells(row, "row"),
            rate(row, "peer_single"), rate(row, "app_single"), *ratio_cells(row, "single"),
            f"{row['target']:g}" if row["target"] else "", row["error"] or row["answer"] or "")


def ratio_cells(row, calls):
    met = {True: "✓", False: "✗", None: ""}[row[f"{calls}_met"]]
    return f"{row[f'{calls}_ratio']:.3f}" if row[f"{calls}_ratio"] else "", met
