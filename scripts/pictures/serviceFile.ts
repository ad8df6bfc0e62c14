import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../host/paths';
import { packageForService } from '../package/forService';
import { VSCE } from '../package/packager';
import { useScene } from '../scene/useScene';
import { EXAMPLE_SETTINGS, tidyWindow } from './window';

/** A whole build. */
const SERVICE_FILE = `{
  "publisher": "acme", "name": "acme-sign-in", "version": "1.0.0",
  "displayName": "Acme Sign-In",
  "keywords": ["acme", "sso"],
  "providerId": "acme", "prefix": "acme",
  "service": { "protocol": "rfc8628", "clientId": "vscode",
    "baseUrl": "https://login.acme.example", "serviceName": "Acme" }
}
`;

const WINDOW = { width: 900, height: 600 };
/** The part of the window with the menu. */
const MENU = { x: 0, y: 402, width: 400, height: 198 };
const DRAWING = { width: 1070, height: 236 };

const CAPTION = 30;

const STYLE = `
  body { margin: 0; display: flex; align-items: center; gap: 18px; padding: 0 18px; height: ${DRAWING.height}px;
    background: #eef1f5; font: 13px system-ui, sans-serif; color: #3b434b; }
  svg { flex: none; }
  figure { flex: none; margin: 0; border-radius: 8px; overflow: hidden; background: #fff; box-shadow: 0 2px 10px rgb(0 0 0 / 0.25); }
  figcaption { box-sizing: border-box; height: ${CAPTION}px; padding: 7px 14px; background: #dfe3e8; }
  pre { margin: 0; padding: 14px; font: 13px/1.42 ui-monospace, monospace; color: #1f1f1f; height: ${MENU.height - CAPTION}px; width: 562px; box-sizing: border-box; }
  b { font-weight: normal; color: #0451a5; } i { font-style: normal; color: #a31515; }
  img { display: block; }
`;

/** Takes the picture of a build: its description, and what people then see. It's run by \`npm run pictures\`. */
describe('the picture of a build for one service', () => {
  const { scene } = useScene({
    ...{ unconfigured: true, windowless: true, withoutExtension: true },
    settings: EXAMPLE_SETTINGS,
    surroundings: async (_service, { root }) => {
      const file = path.join(root, 'service.json');
      await writeFile(file, SERVICE_FILE);
      return { extensions: [await packageForService(file, { into: root, parts: ROOT, vsce: VSCE })] };
    },
  });

  it('is taken', async () => {
    await writeFile(path.join(scene().data.workspace, 'notes.md'), '# Notes\n');
    const { workbench } = await scene().openWindow();
    await tidyWindow(workbench, WINDOW, 'notes.md');
    await workbench.accounts.waitFor(/^Sign in with Acme/);
    await workbench.accounts.open();
    await workbench.page
      .locator('.monaco-menu .action-label:visible', { hasText: 'Sign in with Acme' })
      .first()
      .hover();
    const menu = await workbench.page.screenshot({ animations: 'disabled', clip: MENU });

    const drawing = await scene().profile.context.newPage();
    await drawing.setViewportSize(DRAWING);
    const code = SERVICE_FILE.trim().replace(/("[^"]*")(:?)/g, (_, text: string, colon: string) =>
      colon === '' ? `<i>${text}</i>` : `<b>${text}</b>${colon}`,
    );
    await drawing.setContent(`<style>${STYLE}</style>
      <figure><figcaption>service.json</figcaption><pre>${code}</pre></figure>
      <svg width="34" height="34" viewBox="0 0 34 34"><path d="M3 17h24m-9-10l10 10-10 10" fill="none"
        stroke="#0b4f8a" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>
      <figure><img src="data:image/png;base64,${menu.toString('base64')}"></figure>`);
    await drawing.screenshot({ path: path.join(ROOT, 'media', 'service-json.png') });
    await drawing.close();
  });
});
