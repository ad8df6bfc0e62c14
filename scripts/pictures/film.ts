import { writeFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';

/** A place in the picture, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The size of a picture, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What's seen at one moment. The pictures are PNG. */
export interface View {
  /** The window of VS Code. */
  readonly window: Buffer;
  /** A browser in front of it, which shows a page. */
  readonly browser?: { readonly address: string; readonly page: Buffer };
}

interface Frame {
  readonly picture: Buffer;
  readonly milliseconds: number;
}

/** In how many steps the pointer moves, and how many milliseconds each is shown. */
const STEPS = 6;
const STEP = 50;

/** How high the browser's bar with the address is. */
const BAR = 34;

const STYLE = `
  body { margin: 0; overflow: hidden; font: 13px system-ui, sans-serif; }
  body > img, .veil { position: absolute; inset: 0; }
  .veil { background: rgb(0 0 0 / 0.35); display: grid; place-items: center; }
  .browser { border-radius: 8px; overflow: hidden; box-shadow: 0 6px 24px rgb(0 0 0 / 0.4); }
  .bar { height: ${BAR}px; display: flex; align-items: center; gap: 6px; padding: 0 12px; background: #dfe3e8; }
  .bar i { width: 10px; height: 10px; border-radius: 50%; background: #aab2bb; }
  .bar span { flex: 1; margin-left: 8px; padding: 3px 12px; border-radius: 10px; background: #fff; color: #3b434b; }
  .browser img { display: block; }
  svg { position: absolute; }
`;

const POINTER =
  '<path d="M1 1v16l4-4 2.5 6 2.5-1-2.5-6H13z" fill="#111" stroke="#fff" stroke-width="1.2" stroke-linejoin="round"/>';

/** Where a place of the page in the browser is in the picture. */
export function inBrowser(film: Size, page: Size, { x, y }: Point): Point {
  return { x: (film.width - page.width) / 2 + x, y: (film.height - page.height - BAR) / 2 + BAR + y };
}

/** A moving picture, put together out of still ones in a tab of a browser. */
export class Film {
  readonly #frames: Frame[] = [];
  #pointer: Point;

  private constructor(
    private readonly tab: Page,
    size: Size,
  ) {
    this.#pointer = { x: size.width / 2, y: size.height / 2 };
  }

  static async begin(context: BrowserContext, size: Size): Promise<Film> {
    const tab = await context.newPage();
    await tab.setViewportSize(size);
    return new Film(tab, size);
  }

  /** Shows a view for some milliseconds. */
  async show(view: View, milliseconds: number): Promise<void> {
    await this.tab.setContent(this.draw(view));
    this.#frames.push({ picture: await this.tab.screenshot(), milliseconds });
  }

  /** Moves the pointer over a view. */
  async point(view: View, to: Point): Promise<void> {
    const from = this.#pointer;
    for (let step = 1; step <= STEPS; step++) {
      // It begins and ends slowly, as a hand does.
      const way = (1 - Math.cos((Math.PI * step) / STEPS)) / 2;
      this.#pointer = { x: from.x + (to.x - from.x) * way, y: from.y + (to.y - from.y) * way };
      await this.show(view, STEP);
    }
  }

  /** Writes it as a GIF that repeats, and resolves with how many milliseconds it takes. */
  async save(file: string): Promise<number> {
    const pictures = this.#frames.map(({ picture }) => picture);
    const delay = this.#frames.map(({ milliseconds }) => milliseconds);
    // Dithering would add noise that differs from frame to frame, which makes the file several times as large.
    const options = { colours: 128, delay, dither: 0, effort: 10, loop: 0 };
    await writeFile(
      file,
      await sharp(pictures, { join: { animated: true } })
        .gif(options)
        .toBuffer(),
    );
    await this.tab.close();
    return delay.reduce((sum, each) => sum + each, 0);
  }

  private draw({ browser, window }: View): string {
    const { x, y } = this.#pointer;
    const front =
      browser === undefined
        ? ''
        : `<div class="veil"><div class="browser">
            <div class="bar"><i></i><i></i><i></i><span>${browser.address}</span></div>
            ${image(browser.page)}
          </div></div>`;
    return `<style>${STYLE}</style>${image(window)}${front}
      <svg width="16" height="22" style="left:${x}px;top:${y}px">${POINTER}</svg>`;
  }
}

function image(picture: Buffer): string {
  return `<img src="data:image/png;base64,${picture.toString('base64')}">`;
}
