"""A server on the official Python SDK, which serves both eras of the protocol by itself: the twin of eras.mjs."""

from typing import Annotated

from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from pydantic import BaseModel


class Forecast(BaseModel):
    degrees: int


class City(BaseModel):
    name: str


async def which_city() -> Elicit[City]:
    return Elicit("Which heliotrope city?", City)


server = MCPServer("weather", version="1.0.0", title="The heliotrope weather", instructions="Ask heliotrope for the weather.")


@server.tool(description="The heliotrope forecast of a city")
def forecast(city: str) -> Forecast:
    return Forecast(degrees=21)


@server.tool(description="Asks heliotrope which city")
async def ask(city: Annotated[City, Resolve(which_city)]) -> str:
    return f"heliotrope heard {city.name}"


@server.prompt(description="A heliotrope plan")
def plan(city: str) -> str:
    return f"Plan heliotrope for {city}"


@server.resource("city://{name}", description="A heliotrope city")
def city(name: str) -> str:
    return "heliotrope streets"


server.run()
