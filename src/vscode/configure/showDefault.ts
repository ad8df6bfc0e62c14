import type { Editor } from '../editor/editor';
import type { Configuration } from '../settings/configuration';
import type { ConfigurationTexts } from '../texts/configurationTexts';

interface ShowDefaultDependencies {
  readonly configurationTexts: ConfigurationTexts;
  readonly editor: Editor;
}

/** Says in the status bar which service is the default one now, if one is. */
export function showDefault(
  { configurationTexts, editor }: ShowDefaultDependencies,
  { services }: Configuration,
): void {
  if (services.default !== undefined) {
    editor.showStatusMessage(configurationTexts.nowDefault({ service: services.default.name }));
  }
}
