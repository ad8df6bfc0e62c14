import { type Brand, servicesSetting } from '../brand';
import type { Editor } from '../editor/editor';

/** Shows the setting that has the services, in the Settings editor. */
export async function openServices(editor: Editor, brand: Pick<Brand, 'prefix'>): Promise<void> {
  await editor.run('workbench.action.openSettings', `@id:${servicesSetting(brand)}`);
}

/** Shows the file that has the services. Settings of their scope are in this file whatever the profile is. */
export async function openServicesFile(editor: Editor, brand: Pick<Brand, 'prefix'>): Promise<void> {
  const revealSetting = { key: servicesSetting(brand) };
  await editor.run('workbench.action.openApplicationSettingsJson', { revealSetting });
}
