import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { launchBrowser } from '../../host/browser';
import { ROOT } from '../../host/paths';

/** What's drawn by hand, and its size in pixels. The Marketplace requires the icon's, and shows no SVG. */
const DRAWINGS = { icon: { width: 128, height: 128 }, 'one-refresh': { width: 960, height: 360 } };

/** Makes the PNG of each drawing in media. */
export async function renewDrawings(): Promise<void> {
  const media = path.join(ROOT, 'media');
  const browser = await launchBrowser();
  try {
    const { context } = await browser.newProfile();
    const page = await context.newPage();
    for (const [name, size] of Object.entries(DRAWINGS)) {
      await page.setViewportSize(size);
      const drawing = await readFile(path.join(media, `${name}.svg`), 'utf8');
      await page.setContent(`<style>body { margin: 0; } svg { display: block; }</style>${drawing}`);
      await page.screenshot({ path: path.join(media, `${name}.png`), omitBackground: true });
    }
  } finally {
    await browser.close();
  }
}
