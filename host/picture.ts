import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { ARTIFACTS } from './paths';
import { until } from './until';

/** Set if the tests keep pictures of what a person sees. What failed is always kept. */
export const PICTURES_VARIABLE = 'DEVICE_FLOW_PICTURES';

/** Keeps a picture of a page as `artifacts/<name>.png`. On a busy machine the browser fails at that now and then. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const file = path.join(ARTIFACTS, `${name}.png`);
  await mkdir(path.dirname(file), { recursive: true });
  await until(`the picture ${name}`, async () => {
    // What's moving is shown as it is when it comes to rest.
    await page.screenshot({ path: file, animations: 'disabled' });
    return true;
  });
}
