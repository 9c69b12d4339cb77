"""An SMPP centre by PyPI's `smpp34`: it takes messages and reports them delivered, by TLVs alone.

Each message that it takes is a line of JSON.

    centre.py PORT
"""

import asyncio
import json
import sys

import smpp34


async def main(port: int) -> None:
    server = smpp34.Server(host="127.0.0.1", port=port, system_id="centre")
    await server.start()
    sessions = {}
    taken = 0
    while True:
        event = await server.next()
        if isinstance(event, smpp34.Esme):
            sessions[event.session_id] = event
        if not isinstance(event, smpp34.SubmitSmEvent):
            continue
        taken += 1
        identifier = f"m-{taken}"
        event.accept(message_id=identifier)
        said = {"to": event.destination_addr, "from": event.source_addr, "id": identifier}
        print(json.dumps(said | {"octets": event.short_message.hex(), "coding": event.data_coding}), flush=True)
        receipted = smpp34.Tlv(smpp34.TLV_RECEIPTED_MESSAGE_ID, identifier.encode() + b"\0")
        delivered = smpp34.Tlv(smpp34.TLV_MESSAGE_STATE, b"\2")
        await sessions[event.session_id].deliver_sm(
            source_addr=event.destination_addr,
            destination_addr=event.source_addr,
            esm_class=0x04,
            short_message=b"",
            tlvs=[receipted, delivered],
        )


asyncio.run(main(int(sys.argv[1])))
