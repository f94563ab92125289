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

/** The fields of a message; those that are messages themselves open below it. */
const fields = (schema, schemas, above = []) => {
  const name = schema.$ref ? words(schema.$ref) : ""
  const whole = schema.$ref ? schemas[name] : schema
  if (above.includes(name) || !whole?.properties) return []
  const required = new Set(whole.required ?? [])
  const rows = Object.entries(whole.properties).map(([field, one]) => [
    element("code", {}, field), described(one), required.has(field) ? "required" : ""])
  const inner = new Map()
  for (const one of Object.values(whole.properties).map(present)) {
    const below = one.$ref ? one : one.items?.$ref ? one.items : null
    if (below) inner.set(below.$ref, below)
  }
  const opened = [...inner.values()].flatMap((below) => {
    const content = fields(below, schemas, [...above, name])
    return content.length
      ? [element("details", {}, element("summary", {}, words(below.$ref)), ...content)] : []
  })
  return [table(["field", "is", "Presence"], rows), ...opened]
}

const example = (method, path, call) => {
  const token = "-H 'Authorization: Bearer …' "
  const asked = call.parameters?.filter((one) => one.in === "query" && one.required) ?? []
  const query = asked.map((one) => `${one.name}=…`).join("&")
  const address = `${location.origin}${path}${query ? "?" + query : ""}`
  const body = call.requestBody ? " -H 'Content-Type: application/json' -d '{…}'" : ""
  return `curl ${document.body.dataset.tokens ? token : ""}-X ${method.toUpperCase()}${body} '${address}'`
}

const article = (method, path, call, schemas) => {
  const out = element("article", { id: call.operationId },
    element("h3", {}, element("span", { class: "method" }, method.toUpperCase()), " ",
      element("code", {}, path)),
    element("p", { class: "quiet" }, call.operationId,
      call["x-moyeo-scopes"] ? `, needs the scope ${call["x-moyeo-scopes"].join(", ")}` : ""),
    element("pre", {}, element("code", {}, example(method, path, call))))
  if (call.parameters?.length) {
    out.append(element("h4", {}, "Parameters"), table(["name", "in", "is", "Presence"], call.parameters.map((one) => [
      element("code", {}, one.name), one.in,
      described(one.schema ?? one.content?.["application/json"]?.schema),
      one.required ? "required" : ""])))
  }
  const body = call.requestBody?.content["application/json"]?.schema
  if (body) out.append(element("h4", {}, "Body"), ...fields(body, schemas))
  for (const [kind, content] of Object.entries(call.responses["200"]?.content ?? {})) {
    const below = content.schema ? fields(content.schema, schemas) : []
    out.append(element("details", {}, element("summary", {}, `Answer: ${kind}`), ...below))
  }
  const refusals = Object.entries(call.responses)
    .filter(([, one]) => one["x-moyeo-reasons"])
    .map(([status, one]) => [element("span", { class: "bad" }, status), one["x-moyeo-reasons"].join(", ")])
  out.append(element("details", {}, element("summary", {}, "Refusals"), table(["status", "reasons"], refusals)))
  return out
}

const draw = (description) => {
  const schemas = description.components.schemas
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
      const one = article(method, path, call, schemas)
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
