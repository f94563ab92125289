"""Two people who study the same find each other. Run: python tickets.py http://127.0.0.1:8080"""

import sys
import uuid

from moyeo import Moyeo

ann, ben = f"ann-{uuid.uuid4()}", f"ben-{uuid.uuid4()}"

with Moyeo(sys.argv[1]) as moyeo:
    moyeo.tickets.open(user_id=ann, here={"latitude": 37.4979, "longitude": 127.0276},
                       tags=["swift", "math"])
    moyeo.tickets.open(user_id=ben, here={"latitude": 37.4985, "longitude": 127.0281},
                       tags=["swift"])
    found = moyeo.tickets.search(user_id=ann)
    person = next(one for one in found.around if one.user_id == ben)
    print(f"in common: {', '.join(person.common_tags)}")

    with moyeo.tickets.watch(user_id=ben) as news:
        version = moyeo.tickets.get(user_id=ben).ticket.version
        moyeo.tickets.propose(user_id=ann, other_id=ben)
        # A long poll: it answers when the ticket has changed.
        asked = moyeo.tickets.get(user_id=ben, after_version=version, wait_seconds=10).ticket
        print(f"ben was asked by ann: {list(asked.proposals_from) == [ann]}")
    ticket = moyeo.tickets.accept(user_id=ben, other_id=ann).ticket
    print(f"the ticket is {ticket.state}")
    moyeo.tickets.rate(user_id=ann, other_id=ben, stars=5)
    print(f"afterwards it is {moyeo.tickets.close(user_id=ben).ticket.state}")

# It prints:
#   in common: swift
#   ben was asked by ann: True
#   the ticket is matched
#   afterwards it is closed
