import type { SettingsSource } from '../../../src/vscode/editor/settingsSource';
import type { SettingName } from '../../../src/vscode/settings/validate';
import manifest from '../../../package.json';

export type SettingValues = Partial<Record<SettingName | 'services', unknown>>;

/** Settings with the manifest's defaults and these values of the person's. */
export function settings(values: SettingValues): SettingsSource {
  const properties: Readonly<Record<string, { readonly default: unknown }>> =
    manifest.contributes.configuration.properties;
  return (name) => values[name as keyof SettingValues] ?? properties[`deviceFlow.${name}`]?.default;
}
