import assert from 'node:assert/strict';
import decodeQR from 'qr/decode.js';

const PIXELS = 4;

/** Draws the path of the page as a camera sees it, and reads it with another decoder than the encoder's own. */
export function readQrCode(page: string): string {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(page)?.[1]);
  const width = size * PIXELS;
  const data = new Uint8Array(width * width * 4).fill(255);
  const runs = [...page.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)];
  assert.ok(runs.length > 20, 'there is no picture');
  for (const [x, y, length] of runs.map((run) => run.slice(1).map(Number))) {
    assert.ok(x !== undefined && y !== undefined && length !== undefined);
    for (let row = y * PIXELS; row < (y + 1) * PIXELS; row++) {
      for (let column = x * PIXELS; column < (x + length) * PIXELS; column++) {
        data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
      }
    }
  }
  return decodeQR({ width, height: width, data });
}
