// The reference page: draws /openapi.json of the daemon that serves it.

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

const words = (name) => name.split("/").pop()

/** A schema without the `null` that a request may give for an absent field. */
const present = (schema) => {
  if (!schema) return schema
  const { anyOf, ...rest } = schema
  if (anyOf) return { ...rest, ...anyOf.find((one) => one.type !== "null") }
  if (!Array.isArray(schema.type)) return schema
  const types = schema.type.filter((one) => one !== "null")
  const choices = schema.enum ? { enum: schema.enum.filter((one) => one !== null) } : {}
  return { ...schema, ...choices, type: types.length > 1 ? types.join(" or ") : types[0] }
}

/** What a schema says, as text for one cell: its type, bounds and choices. */
const described = (given) => {
  const schema = present(given)
  if (!schema) return ""
  if (schema.$ref) return words(schema.$ref)
  if (schema.type === "array") {
    const most = schema.maxItems === undefined ? "" : `, at most ${schema.maxItems}`
    return `list of ${described(schema.items)}${most}`
  }
  const parts = [schema.format ? `${schema.type} (${schema.format})` : schema.type ?? "any value"]
  const { minimum, maximum, minLength, maxLength } = schema
  if (minimum !== undefined && maximum !== undefined) parts.push(`${minimum} to ${maximum}`)
  else if (minimum !== undefined) parts.push(`${minimum} or more`)
  else if (maximum !== undefined) parts.push(`at most ${maximum}`)
  if (minLength !== undefined || maxLength !== undefined) {
    parts.push(`${minLength ?? 0} to ${maxLength ?? "any number of"} characters`)
  }
  if (schema.enum) parts.push(`one of ${schema.enum.join(", ")}`)
  if (schema.default !== undefined) parts.push(`default ${JSON.stringify(schema.default)}`)
  if (schema.description) parts.push(schema.description)
  return parts.join("; ")
}

const table = (headings, rows) => {
  const head = element("tr", {}, ...headings.map((text) => element("th", { scope: "col" }, text)))
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell))))
  return element("div", {},
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)))
}

/** Something that opens, whose content is made when it is first opened: the page stays light. */
const opening = (summary, content) => {
  const made = element("details", {}, element("summary", {}, summary))
  made.addEventListener("toggle", () => made.append(...content()), { once: true })
  return made
}

/** The fields of a message; those that are messages themselves open below it. */
const fields = (schema, schemas, above = []) => {
  const name = schema.$ref ? words(schema.$ref) : ""
  const propertiesOf = (one) => (one.$ref ? schemas[words(one.$ref)] : one)?.properties
  const properties = propertiesOf(schema)
  if (!properties) return []
  const required = new Set((schema.$ref ? schemas[name] : schema).required ?? [])
  const rows = Object.entries(properties).map(([field, one]) => [
    element("code", {}, field), described(one), required.has(field) ? "required" : ""])
  const outer = [...above, name]
  const inner = new Map()
  for (const one of Object.values(properties).map(present)) {
    const below = one.$ref ? one : one.items?.$ref ? one.items : null
    if (below && propertiesOf(below) && !outer.includes(words(below.$ref))) {
      inner.set(below.$ref, below)
    }
  }
  const opened = [...inner.values()].map(
    (below) => opening(words(below.$ref), () => fields(below, schemas, outer)))
  return [table(["field", "is", "Presence"], rows), ...opened]
}

/** A sentence of the description, with what stands between backticks as code. */
const prose = (text) => text.split(/`([^`]+)`/)
  .map((part, index) => index % 2 ? element("code", {}, part) : part)

/** For one pair of single quotes of a shell. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

const bodyOf = (call) => call.requestBody?.content["application/json"]

const example = (method, path, call) => {
  const asked = call.parameters?.filter((one) => one.in === "query" && one.required) ?? []
  const query = asked.map((one) => `${one.name}=…`).join("&")
  const body = bodyOf(call)
  const given = body?.example === undefined ? "{…}" : JSON.stringify(body.example, null, 2)
  return [
    "curl",
    ...(document.body.dataset.tokens ? ["-H 'Authorization: Bearer …'"] : []),
    `-X ${method.toUpperCase()}`,
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${quoted(given)}`] : []),
    quoted(`${location.origin}${path}${query ? "?" + query : ""}`),
  ].join(" ")
}

/** The headers of an answer by their names, those that stand in the components included. */
const headersOf = (response, components) => Object.entries(response.headers ?? {}).map(
  ([name, one]) => [name, one.$ref ? components.headers[words(one.$ref)] : one])

const parameters = (call) => {
  if (!call.parameters?.length) return []
  const rows = call.parameters.map((one) => [
    element("code", {}, one.name), one.in,
    described(one.schema ?? one.content?.["application/json"]?.schema),
    one.required ? "required" : ""])
  return [element("h4", {}, "Parameters"), table(["name", "in", "is", "Presence"], rows)]
}

const body = (call, schemas) => {
  const schema = bodyOf(call)?.schema
  if (!schema) return []
  const title = call.requestBody.required ? "Body" : "Body (may be absent)"
  return [element("h4", {}, title), ...fields(schema, schemas)]
}

/** What an answer looks like, where the description has an example of it. */
const shape = (answer) => {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer, null, 2)
  return text ? [opening("Example", () => [element("pre", {}, element("code", {}, text))])] : []
}

/** Answers that are no refusals: what they hold, or that they hold nothing, and their headers. */
const answers = (call, components) => Object.entries(call.responses)
  .filter(([, response]) => !response["x-moyeo-reasons"])
  .map(([status, response]) => {
    const kinds = Object.entries(response.content ?? {})
    const names = kinds.map(([kind]) => kind).join(" or ") || "no body"
    const headers = headersOf(response, components).map(
      ([name, one]) => [element("code", {}, name), described(one.schema), one.description ?? ""])
    return element("details", { "data-status": status },
      element("summary", {}, `Answer ${status}: ${names}`),
      element("p", {}, ...prose(response.description)),
      ...kinds.flatMap(([, { schema, example: answer }]) => [
        ...(schema ? fields(schema, components.schemas) : []), ...shape(answer)]),
      ...(headers.length ? [table(["header", "is", "Meaning"], headers)] : []))
  })

const refusals = (call, components) => {
  const refused = Object.entries(call.responses).filter(([, one]) => one["x-moyeo-reasons"])
  const rows = refused.map(([status, one]) => [
    element("span", { class: "bad" }, status), one["x-moyeo-reasons"].join(", "),
    headersOf(one, components).map(([name]) => name).join(", ")])
  return element("details", {},
    element("summary", {}, "Refusals"), table(["status", "reasons", "headers"], rows))
}

const article = (method, path, call, components) => element(
  "article", { id: call.operationId },
  element("h3", {}, element("span", { class: "method" }, method.toUpperCase()), " ",
    element("code", {}, path)),
  element("p", { class: "quiet" }, call.operationId,
    call["x-moyeo-scopes"] ? `, needs the scope ${call["x-moyeo-scopes"].join(", ")}` : ""),
  ...(call.description ? [element("p", { class: "meaning" }, ...prose(call.description))] : []),
  element("pre", {}, element("code", {}, example(method, path, call))),
  ...parameters(call), ...body(call, components.schemas),
  ...answers(call, components), refusals(call, components))

const draw = (description) => {
  const groups = new Map()
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, call] of Object.entries(methods)) {
      const group = call.tags?.[0] ?? "Others"
      groups.set(group, [...(groups.get(group) ?? []), { method, path, call }])
    }
  }
  const index = document.getElementById("index")
  const main = document.getElementById("calls")
  const drawn = []
  for (const [group, calls] of [...groups].sort(([a], [b]) => a.localeCompare(b))) {
    const list = element("ul")
    index.append(element("h2", {}, group), list)
    const section = element("section", {}, element("h2", {}, group))
    for (const { method, path, call } of calls) {
      const one = article(method, path, call, description.components)
      const entry = element("li", {}, element("a", { href: `#${call.operationId}` }, call.operationId))
      section.append(one)
      list.append(entry)
      const text = `${path} ${call.operationId} ${JSON.stringify(call)}`.toLowerCase()
      drawn.push({ one, entry, section, text })
    }
    main.append(section)
  }
  return drawn
}

const filter = (drawn) => {
  const sought = document.getElementById("filter").value.trim().toLowerCase()
  for (const { one, entry, text } of drawn) one.hidden = entry.hidden = !text.includes(sought)
  for (const { section } of drawn) section.hidden = !section.querySelector("article:not([hidden])")
  const shown = drawn.filter(({ one }) => !one.hidden).length
  document.getElementById("count").textContent =
    shown === drawn.length ? `${shown} calls` : `${shown} of ${drawn.length} calls`
}

const start = async () => {
  const status = document.getElementById("count")
  try {
    const [description, settings] = await Promise.all(
      ["/openapi.json", "/page-config.json"].map(async (path) => (await fetch(path)).json()))
    if (settings.authMode === "tokens") document.body.dataset.tokens = "yes"
    const drawn = draw(description)
    filter(drawn)
    document.getElementById("filter").addEventListener("input", () => filter(drawn))
    // What the address names was not there when the page was opened.
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  } catch (error) {
    status.textContent = "The description of the calls cannot be read; is the daemon running?"
    console.error(error)
  }
}

start()
