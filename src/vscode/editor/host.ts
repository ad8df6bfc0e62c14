import { env, UIKind, Uri } from 'vscode';

/** Whether this is Eclipse Theia, which says so nowhere. Only its `env` has this function. */
function isTheia(): boolean {
  return 'getQueryParameter' in env;
}

/**
 * Whether secrets are kept in the person's browser, which other windows read only once. Those of Eclipse Theia are on its server,
 * although it runs in a browser.
 */
export function areSecretsInBrowser(): boolean {
  return env.uiKind === UIKind.Web && !isTheia();
}

/**
 * An address in the form in which the editor opens it unchanged. VS Code accepts a string too, although its types name only
 * `Uri`, and only a string stays as it is: a `Uri` is decoded and encoded again on its way, which breaks queries with `%26`, `%2B`,
 * or `%25`. Eclipse Theia decodes a string, and takes the parts of a `Uri` as they are.
 */
export function openable(address: string): Uri {
  if (!isTheia()) {
    return address as unknown as Uri;
  }
  const { hash, host, pathname, protocol, search } = new URL(address);
  return Uri.from({
    scheme: protocol.slice(0, -1),
    authority: host,
    path: pathname,
    query: search.slice(1),
    fragment: hash.slice(1),
  });
}
