import { describe, expect, it } from 'vitest';
import { tierArtwork } from './card-design.ts';
import { groundPath, rosettePath } from './guilloche.ts';

const circle = (radius: number) => ({ radius, waves: [] });

describe('a rosette', () => {
  it('stays between its outlines', () => {
    const path = rosettePath({ inner: circle(50), outer: circle(100), swings: 5, lineCount: 3 });
    for (const line of path.split('M').slice(1)) {
      const [start = '', ...segments] = line.replace('Z', '').split('c');
      let [x = 0, y = 0] = start.split(' ').map(Number);
      for (const segment of segments) {
        const [, , , , dx = 0, dy = 0] = segment.split(' ').map(Number);
        [x, y] = [x + dx, y + dy];
        expect(Math.hypot(x, y)).toBeGreaterThan(49.8);
        expect(Math.hypot(x, y)).toBeLessThan(100.2);
      }
    }
  });

  it('closes each of its lines', () => {
    const path = rosettePath({ inner: circle(50), outer: circle(100), swings: 7, lineCount: 4 });
    for (const line of path.split('M').slice(1)) {
      const segments = line.replace('Z', '').split('c').slice(1);
      const sum = segments
        .map((segment) => segment.split(' ').map(Number))
        .reduce(([x = 0, y = 0], [, , , , dx = 0, dy = 0]) => [x + dx, y + dy], [0, 0]);
      expect(Math.hypot(sum[0] ?? 1, sum[1] ?? 1)).toBeLessThan(0.001);
    }
  });
});

it('a ground draws its lines one below the other', () => {
  const waves = [{ length: 50, amplitude: 0, shift: 0 }];
  const path = groundPath({ width: 100, top: 0, gap: 10, lineCount: 4, waves });
  expect(path.match(/M0 \d+/g)).toEqual(['M0 0', 'M0 10', 'M0 20', 'M0 30']);
});

it('the paths of a tier’s artwork contain no NaN', () => {
  expect(tierArtwork('Duckling')).not.toContain('NaN');
});
