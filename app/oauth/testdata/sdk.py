"""A server of the official Python SDK with its own authorization server: sdk.py PORT. Its routes, metadata, checks of redirect addresses, scopes, clients
and PKCE are the SDK's; what it leaves to its user, keeping codes and tokens, is here. A token lives for SECONDS (default 60)."""

import os
import secrets
import sys
import time

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken

port = int(sys.argv[1])
base = f"http://127.0.0.1:{port}"
lifetime = int(os.environ.get("SECONDS", "60"))


class Provider:
    def __init__(self):
        self.clients, self.codes, self.refresh, self.access = {}, {}, {}, {}
        self.refreshed = set()

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        if params.resource != base + "/mcp":
            return construct_redirect_uri(str(params.redirect_uri), error="invalid_target", state=params.state)
        code = AuthorizationCode(
            code=secrets.token_urlsafe(32),
            client_id=client.client_id,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        del self.codes[authorization_code.code]
        return self.give(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client, refresh_token):
        if refresh_token in self.refreshed:  # it came again: all that came of it ends
            self.refresh.clear()
            self.access.clear()
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        if self.refresh.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant")
        self.refreshed.add(refresh_token.token)
        return self.give(client, scopes, refresh_token.resource)

    async def load_access_token(self, token):
        return self.access.get(token)

    async def revoke_token(self, token):
        self.refresh = {k: v for k, v in self.refresh.items() if v.client_id != token.client_id}
        self.access = {k: v for k, v in self.access.items() if v.client_id != token.client_id}

    def give(self, client, scopes, resource):
        about = dict(client_id=client.client_id, scopes=scopes, resource=resource)
        access = AccessToken(token=secrets.token_urlsafe(32), expires_at=int(time.time()) + lifetime, **about)
        refresh = RefreshToken(token=secrets.token_urlsafe(32), **about)
        self.access[access.token], self.refresh[refresh.token] = access, refresh
        return OAuthToken(access_token=access.token, expires_in=lifetime, scope=" ".join(scopes), refresh_token=refresh.token)


server = MCPServer(
    "signed-in",
    auth_server_provider=Provider(),
    auth=AuthSettings(
        issuer_url=base,
        resource_server_url=base + "/mcp",
        required_scopes=["notes"],
        validate_token_resource=True,
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["notes", "offline_access"]),
        revocation_options=RevocationOptions(enabled=True),
    ),
)


@server.tool()
def note() -> str:
    """Reads a note."""
    return "a note"


server.run("streamable-http", host="127.0.0.1", port=port)
