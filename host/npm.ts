/** How to run npm with these arguments: the npm that runs this script, if any. */
export function npmCommand(...args: readonly string[]): { readonly file: string; readonly args: readonly string[] } {
  const script = process.env['npm_execpath'];
  return script === undefined ? { file: 'npm', args } : { file: process.execPath, args: [script, ...args] };
}

/** An environment without what an npm that runs this script has put into it. */
export function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:npm_|INIT_CWD$)/i.test(name)));
}
