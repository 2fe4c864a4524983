import { type ExcerptPart, excerptParts } from './excerpt.ts';
import type { PagefindPage } from './pagefind.ts';

/** Places shown under a page. */
const PLACES = 3;

function paragraph(parts: readonly ExcerptPart[]): HTMLParagraphElement {
  const element = document.createElement('p');
  for (const { text, isMatch } of parts) {
    if (!isMatch) {
      element.append(text);
      continue;
    }
    const mark = document.createElement('mark');
    mark.textContent = text;
    element.append(mark);
  }
  return element;
}

function entry(url: string, title: string, excerpt: string): readonly HTMLElement[] {
  const link = document.createElement('a');
  link.href = url;
  link.textContent = title;
  return excerpt === '' ? [link] : [link, paragraph(excerptParts(excerpt))];
}

/** A page with the places in it that match. Its own excerpt stands where no place of its says the same. */
export function resultItem(page: PagefindPage): HTMLLIElement {
  const item = document.createElement('li');
  const places = page.sub_results.filter(({ url }) => url !== page.url).slice(0, PLACES);
  item.append(...entry(page.url, page.meta.title ?? page.url, places.length > 0 ? '' : page.excerpt));
  if (places.length === 0) return item;
  const list = document.createElement('ul');
  for (const { url, title, excerpt } of places) {
    const place = document.createElement('li');
    place.append(...entry(url, title, excerpt));
    list.append(place);
  }
  item.append(list);
  return item;
}
