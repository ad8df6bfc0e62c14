import { EventEmitter } from '../../event';
import type { Log } from '../../log';
import { type Disposable, type EditorNames, VscodeEditor } from './editor';
import type { SettingsSource } from './settingsSource';

/** VS Code as an extension uses it that embeds the library: its own code says which service it's for. */
export class EmbeddedEditor extends VscodeEditor {
  readonly #changes = new EventEmitter<void>();

  constructor(
    log: Log,
    names: EditorNames,
    private current: SettingsSource,
  ) {
    super(log, names);
  }

  settings(): SettingsSource {
    return this.current;
  }

  onDidChangeSettings(listener: () => void): Disposable {
    return this.#changes.event(listener);
  }

  replaceSettings(settings: SettingsSource): void {
    this.current = settings;
    this.#changes.fire();
  }
}
