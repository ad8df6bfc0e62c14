/** An error as the system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: model`), { code });
}
