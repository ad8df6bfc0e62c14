/** What an outer editor, npm or test run put into the environment, and what an editor under test must not see. */
const FOREIGN = /^(VSCODE_|ELECTRON_|CODE_SERVER_|npm_|INIT_CWD$|PASSWORD$|HASHED_PASSWORD$|NODE_OPTIONS$|PORT$)/i;

/** The environment for an editor under test: this process's own without foreign parts, and with `more`. */
export function editorEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
  return { ...Object.fromEntries(own), ...more };
}
