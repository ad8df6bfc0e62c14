import { window } from 'vscode';
import type { Log } from '../../log';
import { type Disposable, type EditorNames, type Listeners, VscodeEditor } from './editor';
import type { SettingsSource } from './settingsSource';

/** VS Code as an extension uses it that embeds the library: its own code says which service it's for. */
export class EmbeddedEditor extends VscodeEditor {
  #settingsChanged: (() => void) | undefined;

  constructor(
    log: Log,
    names: EditorNames,
    private current: SettingsSource,
  ) {
    super(log, names);
  }

  listen({ settings, windowState }: Listeners): Disposable {
    this.#settingsChanged = settings;
    const focused = window.onDidChangeWindowState(windowState);
    return {
      dispose: () => {
        this.#settingsChanged = undefined;
        focused.dispose();
      },
    };
  }

  settings(): SettingsSource {
    return this.current;
  }

  /** Replaces the settings, and tells of it unless this was disposed of. */
  replaceSettings(settings: SettingsSource): void {
    this.current = settings;
    this.#settingsChanged?.();
  }
}
