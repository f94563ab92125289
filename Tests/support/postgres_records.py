"""Gives each data directory of the tests' daemons a database of its own in PostgreSQL, so that suites that
were written for an embedded record run over the engine: `Tests/run --postgres daemon`.
"""

import atexit
import os
import pathlib

VARIABLE = "MOYEO_TESTS_RECORD"
_server = None
_records = {}


def is_wanted():
    return os.environ.get(VARIABLE) == "postgres"


def settings(directory, given):
    """What a daemon on a data directory is told beside its own settings."""
    global _server
    if not is_wanted() or "MOYEO_CLUSTER_POSTGRES" in given:
        return {}
    if _server is None:
        from scratch_postgres import Postgres
        _server = Postgres("fsync=off")
        atexit.register(_server.close)
        _server.sql("CREATE DATABASE template_record")
        _migrate(_connection("template_record"))
    directory = str(pathlib.Path(directory).resolve())
    if directory not in _records:
        name = f"record_{len(_records) + 1}"
        _server.sql(f"CREATE DATABASE {name} TEMPLATE template_record")
        _records[directory] = _connection(name)
    return {"MOYEO_CLUSTER_POSTGRES": _records[directory]}


def _connection(name):
    return _server.connection.replace("dbname=postgres", f"dbname={name}")


def _migrate(connection):
    from running_daemon import run
    code, said, error = run("cluster", "migrate", "--postgres", connection, name="moyeo")
    assert code == 0, said + error


# Tests of what a file of the data directory does, by the end of their ids, and why they say nothing of a
# record in PostgreSQL. docs/cluster.md tells operators what differs.
EMBEDDED_ONLY = {
    "test_party_restarts.Restarts.test_a_newer_schema_is_refused":
        "the file's schema; test_cluster.Starting has the server's",
    "test_party_restarts.Torture": "the file through kill -9 and full disks; test_cluster has the server's",
    "test_commutes.Killed.test_each_day_appears_once_through_kill_9": "counts in the file by SQLite",
    "test_faults.Directory.test_a_record_that_lost_its_file_is_not_begun_anew": "the file",
    "test_faults.Directory.test_a_record_with_a_damaged_page_is_served_read_only": "the file",
    "test_faults.Directory.test_a_secret_that_does_not_serve_the_record_is_refused_and_left":
        "idempotency.secret; the server has it in settings",
    "test_command_line.Ends.test_an_export_opens_as_a_map": "moyeo export reads the data directory",
    "test_command_line.Ends.test_an_export_tells_an_agreed_fare_from_an_estimate": "the same",
    "test_command_line.Mistakes.test_figures_of_a_simulation_and_an_export_are_json_when_asked":
        "the same",
    "test_postgres_record.Copying": "copies the record of a data directory",
    "test_postgres_record.Doctor.test_a_record_is_looked_at":
        "names its record in a file, which the record of the data directory here goes before",
    "test_doctor.OfErasures.test_the_list": "compares the list with what the file has seen",
    "test_erasure.Erasing.test_nothing_is_left":
        "searches moyeo backup; test_postgres_record searches pg_dump",
    "test_erasure.Erasing.test_restore_drill":
        "moyeo backup and restore; test_postgres_record restores a dump",
}


def leave_out(suite):
    """The tests of a suite without those of EMBEDDED_ONLY: (tests, how many were left out)"""
    kept, left_out = [], 0
    for test in suite:
        if hasattr(test, "__iter__"):
            found, count = leave_out(test)
            kept.append(type(suite)(found))
            left_out += count
        elif any(test.id().endswith(name) or f".{name}." in "." + test.id() for name in EMBEDDED_ONLY):
            left_out += 1
        else:
            kept.append(test)
    return kept, left_out
