// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { nextTheme, readTheme, switchLabel } from './theme-switch.ts';

describe('the theme', () => {
  it('is the system’s if storage has an unknown value', () => {
    expect([null, '', 'DARK', 'blue', '"dark"', 'system'].map(readTheme)).toEqual(Array(6).fill('system'));
    expect([readTheme('light'), readTheme('dark')]).toEqual(['light', 'dark']);
  });

  it('cycles through all three and names the next one', () => {
    expect([nextTheme('system'), nextTheme('light'), nextTheme('dark')]).toEqual(['light', 'dark', 'system']);
    expect(switchLabel('dark')).toMatch(/dark.*system/);
  });
});
