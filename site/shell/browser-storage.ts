type Area = 'localStorage' | 'sessionStorage';

/** The stored string; null if there is none or the browser blocks storage, as in some private windows. */
export function readStored(area: Area, key: string): string | null {
  try {
    return window[area].getItem(key);
  } catch {
    return null;
  }
}

/** Stores a string; null removes it. */
export function writeStored(area: Area, key: string, value: string | null): void {
  try {
    if (value === null) window[area].removeItem(key);
    else window[area].setItem(key, value);
  } catch {
    // Storage is blocked or full, so the value lasts until the page closes.
  }
}
