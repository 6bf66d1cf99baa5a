-- .keyvalue() in a jsonpath, whose ids say where objects stand in their document.

create table products_json (id int, doc jsonb);
insert into products_json values (1,'{"name": "Desk lamp", "price": 39.9, "tags": ["light", "office"], "dim": {"h": 45, "w": 15}}'),(2,'{"name": "Chair", "price": 129, "tags": ["office", "seat"], "dim": {"h": 110, "w": 60}, "stock": null}'),(3,'{"name": "Mug", "price": "4.50", "tags": []}'),(4,null);
select id, jsonb_path_query(doc, '$.dim.keyvalue()') from products_json;
select jsonb_path_query('[{"a":1,"b":[1,2]},{"c":{}}]', '$[*].keyvalue()');
select jsonb_path_query('{"a":1}', '$.a.keyvalue()');
drop table products_json;
