/** How many pages it takes to show `total` items, `perPage` at a time. */
export function pageCount(total, perPage) {
  return Math.floor(total / perPage);
}

/** The items of one page. Pages count from 1. */
export function pageOf(items, page, perPage) {
  const start = page * perPage;
  return items.slice(start, start + perPage);
}
