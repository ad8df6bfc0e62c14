import type { SettingsSource } from '../../../src/vscode/editor/settingsSource';
import type { SettingName } from '../../../src/vscode/settings/validate';
import manifest from '../../../package.json';

export type SettingValues = Partial<Record<SettingName, unknown>>;

/** Settings with the manifest's defaults and these values of the person's. */
export function settings(values: SettingValues): SettingsSource {
  const properties: Readonly<Record<string, { readonly default: unknown }>> =
    manifest.contributes.configuration.properties;
  return (name) => values[name as SettingName] ?? properties[`deviceFlow.${name}`]?.default;
}
