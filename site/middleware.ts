import { defineMiddleware } from 'astro:middleware';
import { localizePath } from '../data/model/locale-texts.ts';
import { splitPath } from './locale/languages.ts';
import { localizeHtml } from './locale/localize-html.ts';
import { renderIn } from './locale/page-language.ts';

/** Renders pages under a language's path, such as `/ar`, in that language. */
export const onRequest = defineMiddleware(({ url }, next) => {
  const { language } = splitPath(url.pathname);
  if (!language) return next();
  return renderIn(language, async () => {
    const response = await next();
    if (!response.headers.get('content-type')?.startsWith('text/html')) return response;
    return new Response(localizeHtml(await response.text(), localizePath), response);
  });
});
