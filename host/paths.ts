import path from 'node:path';

/** The project's folder. Compiled, this file is two folders below it. */
export const ROOT = path.resolve(__dirname, '..', '..');

/** Where the editors that tests run in are kept, as `@vscode/test-electron` does too. */
export const EDITORS = path.join(ROOT, '.vscode-test');

/** Where tests leave screenshots and logs. Not under version control. */
export const ARTIFACTS = path.join(ROOT, 'artifacts');

/** What `npm run package` writes. */
export const VSIX = path.join(ROOT, 'dist', 'device-flow-authentication.vsix');

/** Folder, in the project's, of the extension with which tests change settings. */
export const SETTINGS = path.join('scripts', 'scene', 'settings');
