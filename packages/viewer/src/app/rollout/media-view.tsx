import { useEffect, useState } from "react";

import { mediaFile } from "../../record/media.ts";
import type { MessagePart } from "../../record/rollout.ts";
import { useSource } from "../use-run.ts";

type Media = Extract<MessagePart, { type: "image" | "audio" | "file" }>;

/** An image, audio or a file that the record contains or that lies beside it. */
export function MediaView({ run, part }: { readonly run: string; readonly part: Media }) {
  const { address, isLoading } = useAddress(run, part.url);
  const name = part.type === "file" ? part.name : (mediaFile(part.url) ?? part.type);
  if (isLoading) return <p className="quiet">Loading {name}…</p>;
  if (address === undefined) return <Unavailable part={part} />;
  if (part.type === "image") return <Picture key={address} address={address} name={name} />;
  if (part.type === "audio")
    return <audio className="audio" controls src={address} preload="none" />;
  return (
    <p>
      <a href={address} download={name}>
        {name}
      </a>
    </p>
  );
}

/** Embedded media types. Media of other servers are only named: a request would reveal the reader to them. */
const embedded =
  /^data:(?:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)|audio\/(?:wav|mp3|mpeg)|[\w.+/-]+;base64)[;,]/u;

interface LoadedAddress {
  /** The address; `undefined` if the source does not have the file. */
  readonly address: string | undefined;
  readonly isLoading: boolean;
}

function useAddress(run: string, url: string): LoadedAddress {
  const source = useSource();
  const file = mediaFile(url);
  const [loaded, setLoaded] = useState<LoadedAddress>({ address: undefined, isLoading: true });
  useEffect(() => {
    let isCurrent = true;
    const show = (address: string | undefined): void => {
      if (isCurrent) setLoaded({ address, isLoading: false });
    };
    if (file === undefined) show(embedded.test(url) ? url : undefined);
    else source.mediaAddress(run, file).then(show, () => show(undefined));
    return () => {
      isCurrent = false;
    };
  }, [source, run, url, file]);
  return loaded;
}

function Picture({ address, name }: { readonly address: string; readonly name: string }) {
  const [size, setSize] = useState("");
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p className="quiet">The picture {name} cannot be shown.</p>;
  return (
    <figure className="picture">
      <img
        src={address}
        alt="From the conversation"
        loading="lazy"
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setSize(`${naturalWidth} × ${naturalHeight}`)
        }
        onError={() => setBroken(true)}
      />
      <figcaption className="quiet">
        <code>
          {name.length > 20 ? `${name.slice(0, 8)}…${name.slice(name.indexOf("."))}` : name}
        </code>{" "}
        {size}
      </figcaption>
    </figure>
  );
}

function Unavailable({ part }: { readonly part: Media }) {
  const file = mediaFile(part.url);
  const noun = { image: "Picture", audio: "Audio", file: "File" }[part.type];
  return (
    <p className="quiet">
      {noun}, {file === undefined ? "not loaded" : "not part of this report"}:{" "}
      <code>{file ?? part.url.slice(0, 300)}</code>
    </p>
  );
}
