import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { QUIET_SETTINGS } from './settings';

/** Where one editor under test keeps everything that it writes. Only this user can look into it. */
export class DataFolder {
  /** Given to the server as its data folder. */
  readonly server: string;
  /** Opened in its windows; empty at first. */
  readonly workspace: string;

  private constructor(
    readonly root: string,
    /** Where its extensions are installed. */
    readonly extensions: string,
  ) {
    this.server = path.join(root, 'server');
    this.workspace = path.join(root, 'workspace');
  }

  /** Makes a folder under the system's temporary one, with these settings on top of those that keep the editor quiet. */
  static async create(settings: Readonly<Record<string, unknown>> = {}): Promise<DataFolder> {
    return DataFolder.at(await mkdtemp(path.join(os.tmpdir(), 'device-flow-vscode-')), settings);
  }

  /** Uses a folder that may have been used before. */
  static async at(
    root: string,
    settings: Readonly<Record<string, unknown>> = {},
    extensions = path.join(root, 'extensions'),
  ): Promise<DataFolder> {
    const folder = new DataFolder(path.resolve(root), path.resolve(extensions));
    await mkdir(folder.root, { recursive: true, mode: 0o700 });
    for (const part of [folder.user, folder.extensions, folder.workspace]) await mkdir(part, { recursive: true });
    await folder.writeSettings(settings);
    return folder;
  }

  /** What the server and its wrapper both take as the folder of the user's data. */
  get userData(): string {
    return path.join(this.server, 'data');
  }

  /** Where whoever hands over the client secret to the sample extension puts it. */
  get secretFile(): string {
    return path.join(this.root, 'client-secret');
  }

  /** Where extensions keep what all windows share, one folder each. */
  globalStorage(extensionId: string): string {
    return path.join(this.user, 'globalStorage', extensionId);
  }

  /** Replaces the user's settings; open windows notice within a second. */
  async writeSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const all = { ...QUIET_SETTINGS, ...settings };
    await writeFile(path.join(this.user, 'settings.json'), `${JSON.stringify(all, undefined, 2)}\n`);
  }

  /** Deletes it all. */
  async delete(): Promise<void> {
    // An extension host that ends may still be writing its last line.
    await rm(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  private get user(): string {
    return path.join(this.userData, 'User');
  }
}
