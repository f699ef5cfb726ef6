/** Shortens a path for a person to read. The model gets paths whole. */

export interface PathPlace {
  cwd: string;
  home?: string | undefined;
}

/** Returns the path relative to the working folder or to `~`, whichever is shorter, with folders in its middle left out beyond `most` characters. */
export function shortPath(path: string, { cwd, home }: PathPlace, most: number): string {
  const below = [withoutFolder(path, cwd, ""), withoutFolder(path, home ?? "", "~/"), path];
  const [shortest = path] = below.filter((each) => each !== undefined).sort((one, other) => one.length - other.length);
  if (shortest.length <= most) return shortest;
  const parts = shortest.split("/");
  // The name of the file, and its folder, which says what kind of file that is.
  const tail = parts.slice(-2).join("/");
  let head = "";
  for (const part of parts.slice(0, -3)) {
    const longer = `${head}${part}/`;
    if (longer.length + tail.length + 2 > most) break;
    head = longer;
  }
  const short = `${head}…/${tail}`;
  return short.length < shortest.length ? short : shortest;
}

function withoutFolder(path: string, folder: string, start: string): string | undefined {
  return folder !== "" && path.startsWith(`${folder}/`) ? start + path.slice(folder.length + 1) : undefined;
}
