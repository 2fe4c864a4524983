// @vitest-environment happy-dom
import { describe, expect, it, onTestFinished } from 'vitest';
import { nextTheme, readTheme, startThemeSwitch, switchLabel } from './theme-switch.ts';

describe('the theme', () => {
  it('is the stored one, or the system’s if storage has no known value', () => {
    expect([null, '', 'DARK', 'blue', '"dark"', 'system'].map(readTheme)).toEqual(Array(6).fill('system'));
    expect([readTheme('light'), readTheme('dark')]).toEqual(['light', 'dark']);
  });

  it('is the stored one after Back if another page has changed it', () => {
    document.body.innerHTML = '<theme-switch><button></button></theme-switch>';
    startThemeSwitch();
    onTestFinished(() => localStorage.clear());
    localStorage.setItem('theme', 'light');
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    expect(document.documentElement.dataset.theme).toBe('light');
    expect(document.querySelector('theme-switch')?.getAttribute('data-theme')).toBe('light');
  });

  it('cycles through all three choices, and its switch names the next one', () => {
    expect([nextTheme('system'), nextTheme('light'), nextTheme('dark')]).toEqual(['light', 'dark', 'system']);
    expect(switchLabel('dark')).toMatch(/dark.*system/);
  });
});
