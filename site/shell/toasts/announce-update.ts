import type { CollectionEntry } from 'astro:content';
import { translateTexts } from '../../../data/model/locale-texts.ts';
import { drawToast } from './toast-region.ts';

/** The build replaces this name with the texts from `content/search-and-offline.yaml`. */
declare const UPDATE_TEXTS: CollectionEntry<'searchAndOffline'>['data']['update'];

export function announceUpdate(): void {
  const { title, text, now: nowLabel, later: laterLabel } = translateTexts(UPDATE_TEXTS);
  drawToast({
    title,
    text,
    seconds: null,
    actions: [
      { label: nowLabel, run: () => location.reload() },
      { label: laterLabel, run: () => undefined },
    ],
  });
}
