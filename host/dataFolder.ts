import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import manifest from '../package.json';
import { until } from './until';

/** Settings of the editor that keep it quiet: nothing that is not under test opens, asks, updates or calls out. */
const QUIET_SETTINGS: Readonly<Record<string, unknown>> = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'git.enabled': false,
  'npm.autoDetect': 'off',
  'typescript.disableAutomaticTypeAcquisition': true,
  'remote.autoForwardPorts': false,
};

const EXTENSION = `${manifest.publisher}.${manifest.name}`;

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

  /** The file in which the sample extension finds the client secret. */
  get secretFile(): string {
    return path.join(this.root, 'client-secret');
  }

  /** The folder that VS Code gives to the extension for what all windows share. */
  get storage(): string {
    return path.join(this.user, 'globalStorage', EXTENSION);
  }

  /** All that the extension has written into its log, in all windows. */
  async log(): Promise<string> {
    const logs = path.join(this.userData, 'logs');
    const files = await readdir(logs, { recursive: true });
    const own = files.filter((file) => file.includes(EXTENSION) && file.endsWith('.log'));
    return (await Promise.all(own.map((file) => readFile(path.join(logs, file), 'utf8')))).join('');
  }

  /**
   * Waits until the client secret that the sample extension hands over is stored, by what the extension logs.
   * @param services for so many services, counting all that were configured so far
   */
  async secretStored(services = 1): Promise<void> {
    await until('the client secret to be stored', async () => {
      const stored = (await this.log()).match(/The client secret was stored\./g) ?? [];
      return stored.length >= services;
    });
  }

  /** The user's settings. */
  async settings(): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse(await readFile(this.settingsFile, 'utf8')) as Record<string, unknown>;
  }

  /** Replaces the user's settings. A window that's open doesn't notice until it's reloaded: not within 15 s, in either version. */
  async writeSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const all = { ...QUIET_SETTINGS, ...settings };
    await writeFile(this.settingsFile, `${JSON.stringify(all, undefined, 2)}\n`);
  }

  /** Deletes it all. */
  async delete(): Promise<void> {
    // An extension host that ends may still be writing its last line.
    await rm(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  private get settingsFile(): string {
    return path.join(this.user, 'settings.json');
  }

  private get user(): string {
    return path.join(this.userData, 'User');
  }
}
