"""The feed of what happened, read with asyncio. Run: python events.py grpc://127.0.0.1:50051"""

import asyncio
import sys
import uuid
from datetime import datetime, timedelta, timezone

from moyeo import AsyncMoyeo


async def main() -> None:
    host = f"host-{uuid.uuid4()}"
    async with AsyncMoyeo(sys.argv[1]) as moyeo:
        start = (await moyeo.events.list()).next
        party = (await moyeo.parties.create(
            host_id=host, origin={"latitude": 37.5547, "longitude": 126.9707},
            destination={"latitude": 37.4979, "longitude": 127.0276},
            departure_time=datetime.now(timezone.utc) + timedelta(minutes=30))).party
        await moyeo.parties.cancel(id=party.id, rider_id=host)

        # Keep the sequence with your own data: a restart of either side then loses nothing.
        async with moyeo.events.watch(after=start) as events:
            async for event in events:
                if event.party_id == party.id:
                    print(event.kind)
                if event.kind == "party.cancelled":
                    break


asyncio.run(main())

# It prints:
#   party.created
#   party.cancelled
