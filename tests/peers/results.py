"""The table of results: kept on disk as it grows, printed as text."""

import csv
import json
import os

FIELDS = (
    "task,log2_elements,bins,peer,way,peer_ns,peer_bytes_per_second,app_variant,app_workgroup_size,app_workgroup_count,"
    "app_ns,app_bytes_per_second,app_of_copy_ceiling,ratio,target,met,answer,rounds,cache,error"
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
        head = ("task", "elements", "peer", "way", "peer GB/s", "app variant", "app GB/s")
        head += ("of copy", "app/peer", "target", "", "answer")
        lines = [head] + [cells(row) for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        right = {4, 6, 7, 8, 9}
        return "\n".join(
            "  ".join(
                cell.rjust(width) if i in right else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(line, widths))
            ).rstrip()
            for line in lines
        )


def gigabytes(rate):
    return f"{rate / 1e9:.4g}" if rate else ""


def cells(row):
    met = {True: "✓", False: "✗", None: ""}[row["met"]]
    variant = row["app_variant"] or ""
    if variant:
        variant += f" {row['app_workgroup_size']}×{row['app_workgroup_count']}"
    return (
        row["task"],
        f"2^{row['log2_elements']}",
        row["peer"] or "",
        row["way"] or "",
        gigabytes(row["peer_bytes_per_second"]),
        variant,
        gigabytes(row["app_bytes_per_second"]),
        f"{row['app_of_copy_ceiling']:.3f}" if row["app_of_copy_ceiling"] else "",
        f"{row['ratio']:.3f}" if row["ratio"] else "",
        f"{row['target']:g}" if row["target"] else "",
        met,
        row["error"] or row["answer"] or "",
    )
