/**
 * What's needed once a person does something: signs in, runs a command, starts an MCP server, or has to be told something. In
 * most windows, nobody does, and they're ready sooner without it. What keeps, refreshes and serves the sessions isn't here: it
 * mustn't fail because an update has removed files that weren't loaded yet.
 */
export { showSessionFailure } from './accounts/actions';
export { showNotice } from './accounts/notices';
export { signOut } from './accounts/signOut';
export { showStatus } from './accounts/statusPage';
export { setClientSecret } from './configuration/clientSecret';
export { describeFailure, showFailure } from './failures';
export { Bridge } from './mcp/bridge';
export { Attempt } from './signin/attempt';
export { checkMeantService } from './signin/preparation';
