import type { Editor } from '../editor/editor';
import { SERVICES_SETTING } from './wrongSetting';

/** What the names of this build's settings begin with. */
interface SettingNames {
  readonly prefix: string;
}

/** Shows the setting that has the services, in the Settings editor. */
export async function openServices(editor: Editor, { prefix }: SettingNames): Promise<void> {
  await editor.run('workbench.action.openSettings', `@id:${prefix}.${SERVICES_SETTING}`);
}

/** Shows the file that has the services. Settings of their scope are in this file whatever the profile is. */
export async function openServicesFile(editor: Editor, { prefix }: SettingNames): Promise<void> {
  const revealSetting = { key: `${prefix}.${SERVICES_SETTING}` };
  await editor.run('workbench.action.openApplicationSettingsJson', { revealSetting });
}
