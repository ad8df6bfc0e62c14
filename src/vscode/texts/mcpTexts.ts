/** Messages about MCP servers. VS Code shows them, or whatever called a tool does: an agent reads them too. */
export const MCP_MESSAGES = {
  signInNeeded:
    'The MCP server {server} needs access to your {service} account. Sign in or allow access in the Accounts menu, and then start the server again.',
  sessionEnded:
    'The MCP server {server} was stopped because you signed out of {service}, chose another account, or removed the server’s access. Start the server again.',
  stopped: 'The MCP server was stopped. Start it again.',
  rejected:
    'The MCP server {server} rejected your session. Sign in again. If that doesn’t help, ask whoever manages the server.',
  signInOpen: 'A sign-in to {service} was in progress. Finish or cancel it, and then try again.',
  noResult:
    'The response from the MCP server {server} was incomplete or invalid. If a tool was called, it may have run. Check whether it did before you try again.',
  /** In the dialog in which VS Code asks for a session. */
  purpose: 'This access is for the MCP server {server}.',
  forbidden:
    'The MCP server {server} refused access (HTTP 403). Your account might need more permissions. Ask whoever manages the server.',
  /** What the server said that it needs. */
  scopesMissing:
    'The request to the MCP server {server} needs more permissions for your {service} account: {scopes}. Sign in to {service} again to grant them, and then try again.',
  redirected: 'The MCP server {server} has moved to another address. Update the extension that provides it.',
  /** `{when}` is such as “later” or “in 2 minutes”. */
  busy: 'The MCP server {server} was busy (HTTP {status}). Try again {when}.',
  failed:
    'The MCP server {server} couldn’t finish the request (HTTP {status}). If a tool was called, it may have run. Check whether it did, and then try again {when}.',
  refused:
    'The MCP server {server} refused the request (HTTP {status}). Update the extension that provides it, or ask whoever manages the server.',
  unreachable: 'Couldn’t reach the MCP server {server} ({reason}). Check your network connection, or try again later.',
} as const;
