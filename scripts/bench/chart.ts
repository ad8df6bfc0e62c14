import type { Growth } from './report';

/** Sizes in pixels. */
const PANEL = { width: 330, height: 250, left: 50, top: 40, gap: 70 };
const LEGEND_LINE = 20;
/** Readable on white and on black. */
const INK = '#7a7a7a';
const FAINT = '#7a7a7a50';
const COLORS = ['#2f81f7', '#d9730d', '#2da44e', '#a371f7', '#e5534b', '#0d9aa6'];
const DASHES = ['none', '8 3', '2 3', '8 3 2 3', '12 3', '4 4'];

/** Draws how costs grow, one panel for each thing that there is more of: as a multiple of the first. */
export function growthChart(growth: readonly Growth[]): string {
  const ratios = growth.flatMap(({ curves }) => curves.flatMap(({ points }) => ratiosOf(points.map((p) => p.median))));
  const highest = Math.max(2, ...ratios, ...growth.map(({ counts }) => Math.max(...counts)));
  const names = growth[0]?.curves.map(({ what }) => what) ?? [];
  const bottom = PANEL.top + PANEL.height + 50;
  const width = PANEL.left + growth.length * (PANEL.width + PANEL.gap);
  const legend = [...names, 'In proportion'].map((name, index) => {
    const y = bottom + index * LEGEND_LINE;
    return `${line([[PANEL.left, y] as const, [PANEL.left + 40, y]], index < names.length ? index : -1)}${text(PANEL.left + 50, y + 4, name, 'start')}`;
  });
  const panels = growth.map((one, index) => panel(one, PANEL.left + index * (PANEL.width + PANEL.gap), highest));
  const height = bottom + legend.length * LEGEND_LINE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>How costs grow with ${growth.map(({ over }) => over).join(' and ')}</title>`,
    ...panels,
    ...legend,
    '</svg>\n',
  ].join('\n');
}

function panel({ counts, curves, over }: Growth, left: number, highest: number): string {
  const bottom = PANEL.top + PANEL.height;
  const x = (count: number): number => left + (Math.log(count) / Math.log(counts.at(-1) ?? 2)) * PANEL.width;
  // Half the first cost is at the bottom: some costs fall.
  const y = (ratio: number): number => bottom - (Math.log(ratio * 2) / Math.log(highest * 2)) * PANEL.height;
  const ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500].filter((tick) => tick <= highest);
  const through = (ratios: readonly number[]): readonly Point[] =>
    ratios.map((ratio, index) => [x(counts[index] ?? 1), y(Math.max(0.5, ratio))]);
  return [
    text(left + PANEL.width / 2, PANEL.top - 20, `Cost by ${over}, as a multiple of the cost with one`, 'middle'),
    ...ticks.map(
      (tick) =>
        `<path d="M${left} ${px(y(tick))}h${PANEL.width}" stroke="${FAINT}"/>${text(left - 6, y(tick) + 4, `×${tick}`, 'end')}`,
    ),
    ...counts.map((count) => text(x(count), bottom + 18, String(count), 'middle')),
    line(through(counts.map((count) => count / (counts[0] ?? 1))), -1),
    ...curves.map(({ points }, index) => line(through(ratiosOf(points.map(({ median }) => median))), index)),
  ].join('\n');
}

function ratiosOf(values: readonly number[]): readonly number[] {
  return values.map((value) => value / (values[0] ?? 1));
}

type Point = readonly [x: number, y: number];

/** A line of the color and dashes with this index, with a dot at each point; -1: the thin one to compare with. */
function line(points: readonly Point[], index: number): string {
  const color = COLORS[index % COLORS.length] ?? INK;
  const path = points.map(([x, y]) => `${px(x)} ${px(y)}`).join('L');
  if (index < 0) return `<path d="M${path}" fill="none" stroke="${INK}" stroke-dasharray="1 3"/>`;
  const dots = points.map(([x, y]) => `<circle cx="${px(x)}" cy="${px(y)}" r="3" fill="${color}"/>`).join('');
  const dashes = DASHES[index % DASHES.length] ?? 'none';
  return `<path d="M${path}" fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${dashes}"/>${dots}`;
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${px(x)}" y="${px(y)}" fill="${INK}" text-anchor="${anchor}">${content}</text>`;
}

function px(value: number): string {
  return value.toFixed(1);
}
