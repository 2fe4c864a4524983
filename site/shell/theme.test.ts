import { describe, expect, it } from 'vitest';
import { nextTheme, readTheme, switchLabel } from './theme.ts';

describe('the theme', () => {
  it('follows the system whatever nonsense stands in storage', () => {
    expect([null, '', 'DARK', 'blue', '"dark"', 'system'].map(readTheme)).toEqual(Array(6).fill('system'));
    expect([readTheme('light'), readTheme('dark')]).toEqual(['light', 'dark']);
  });

  it('goes round all three and says where to', () => {
    expect([nextTheme('system'), nextTheme('light'), nextTheme('dark')]).toEqual(['light', 'dark', 'system']);
    expect(switchLabel('dark')).toBe('Theme: dark. Change to system');
  });
});
